import type { Services } from '../../context.ts';

/** Where clients find the service; mobile ones ask it first. */
export interface AccountSettings {
  accountId: number;
  /** Public base URL. */
  apiEndpoint: string;
  /** Public host, without port. */
  chatEndpoint: string;
  turnserverEndpoint: string;
}

export function findAccountSettings({ publicUrl }: Services): AccountSettings {
  const { hostname } = new URL(publicUrl());
  return { accountId: 1, apiEndpoint: publicUrl(), chatEndpoint: hostname, turnserverEndpoint: hostname };
}
