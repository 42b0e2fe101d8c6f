// The build replaces this file by the code of graphql-ws, because its peer dependency would install all of graphql.
export { type Client, createClient } from 'graphql-ws/client';
