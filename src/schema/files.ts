import type { FileContent, ServedFile } from '../resolvers/files/content.ts';
import { builder } from './builder.ts';

builder.scalarType('FileContent', {
  description: 'The bytes of a file, told as the address they can be loaded from, with the credentials of the caller.',
  serialize: (content) => content as FileContent,
});

export const StoredFile = builder.objectRef<ServedFile>('StoredFile').implement({
  description: 'A file to download.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'What it is saved as.' }),
    contentType: t.exposeString('contentType', { description: 'As its uploader says; not to be trusted.' }),
    size: t.exposeInt('size', { description: 'How many bytes it has.' }),
    content: t.expose('content', { type: 'FileContent', description: 'Where the bytes are.' }),
  }),
});
