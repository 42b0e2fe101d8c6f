import type { FileContent, ServedFile } from '../resolvers/files/served-file.ts';
import { builder } from './builder.ts';

builder.scalarType('FileContent', {
  description:
    'The bytes of a file, represented by their download URL. The download needs the credentials of the caller ' +
    'unless the file is public.',
  serialize: (content) => content as FileContent,
});

export const StoredFile = builder.objectRef<ServedFile>('StoredFile').implement({
  description: 'A file to download.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'File name for downloads.' }),
    contentType: t.exposeString('contentType', { description: 'Media type given by the uploader. Not verified.' }),
    size: t.exposeInt('size', { description: 'Size in bytes.' }),
    content: t.expose('content', { type: 'FileContent', description: 'Download URL.' }),
  }),
});
