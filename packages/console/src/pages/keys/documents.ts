import { graphql, type ResultOf } from '@atrium/client';

export const KEYS = graphql(`query ConsoleKeys {
  apiKeys {
    id name scopes onBehalfOf onBehalfOfRoles networks expiresAt lastUsedAt previousExpiresAt createdAt revokedAt
  }
}`);
export const CREATE = graphql(`mutation ConsoleCreateKey($name: String!, $restrictions: ApiKeyRestrictions!) {
  createApiKey(name: $name, restrictions: $restrictions) { key }
}`);
export const UPDATE = graphql(`mutation ConsoleUpdateKey($id: Int!, $input: UpdateApiKeyInput!) {
  updateApiKey(id: $id, input: $input) { id }
}`);
export const ROTATE = graphql(`mutation ConsoleRotateKey($id: Int!, $overlapHours: Int!) {
  rotateApiKey(id: $id, overlapHours: $overlapHours) { key }
}`);
export const REVOKE = graphql(`mutation ConsoleRevokeKey($id: Int!) { revokeApiKey(id: $id) { id } }`);

export type ApiKey = ResultOf<typeof KEYS>['apiKeys'][number];
