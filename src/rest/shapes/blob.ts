import { graphql } from '../graphql.ts';
import { described, nullable, text } from '../openapi/docs/schemas.ts';
import { joinTags } from './conversions.ts';
import { computed, optional, shape } from './shape.ts';

const blobObjectAccessShape = shape('BlobObjectAccess', {
  id: 'id',
  blob_id: 'blobId',
  expires: 'expires',
  object_access_type: 'objectAccessType',
  params: 'params',
});

export const blobShape = shape(
  'Blob',
  {
    id: 'id',
    uid: 'uid',
    content_type: 'contentType',
    name: 'name',
    size: 'size',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
    blob_status: 'blobStatus',
    set_completed_at: 'setCompletedAt',
    public: 'public',
    tags: computed(
      graphql(`fragment Tags on Blob { tags }`),
      described(nullable(text), 'Tags, separated by commas; null if there are none.'),
      ({ tags }) => joinTags(tags),
    ),
    blob_object_access: optional(['blobObjectAccess', blobObjectAccessShape]),
  },
  { wrapper: 'blob' },
);
