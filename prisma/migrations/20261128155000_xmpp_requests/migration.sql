ALTER TYPE "request_transport" ADD VALUE 'xmpp';
