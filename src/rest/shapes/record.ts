import { graphql } from '../graphql.ts';
import { permissionsShown } from '../openapi/docs/record-permissions.ts';
import { anything, described, integer, stringId } from '../openapi/docs/schemas.ts';
import { presentPermissions } from '../record-permissions.ts';
import { legacyFields } from '../record-values.ts';
import { computed, optional, shape } from './shape.ts';

const common = {
  _id: ['id', stringId],
  _parent_id: 'parentId',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
  user_id: ['userId', described(integer, 'Id of the owner; 0 if an API key alone created the record.')],
} as const;

const customFields = computed(
  graphql(`fragment Fields on Record { fields }`),
  described(anything, 'Value of the field with this name; null if unset.'),
  ({ fields }) => fields && legacyFields(fields),
);

export const recordShape = shape('Record', {
  ...common,
  permissions: computed(
    graphql(`fragment Permissions on Record {
      permissions {
        read { access ids groups }
        update { access ids groups }
        delete { access ids groups }
      }
    }`),
    permissionsShown,
    ({ permissions }) => permissions && presentPermissions(permissions),
  ),
  '...': customFields,
});

/** Of lists: with permissions only on request. The document declares `$permissions`. */
export const listedRecordShape = shape('Record', {
  ...common,
  permissions: optional(
    computed(
      graphql(`fragment ListedPermissions on Record {
        permissions @include(if: $permissions) {
          read { access ids groups }
          update { access ids groups }
          delete { access ids groups }
        }
      }`),
      permissionsShown,
      ({ permissions }) => permissions && presentPermissions(permissions),
    ),
  ),
  '...': customFields,
});

export const uploadedRecordFileShape = shape('UploadedRecordFile', {
  _id: ['recordId', stringId],
  file_id: 'fileId',
  name: 'name',
  size: 'size',
  content_type: 'contentType',
});
