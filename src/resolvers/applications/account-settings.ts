import type { Services } from '../../context.ts';

export interface AccountSettings {
  accountId: number;
  apiEndpoint: string;
  chatEndpoint: string;
  turnserverEndpoint: string;
}

export function findAccountSettings({ publicUrl }: Services): AccountSettings {
  const { hostname } = new URL(publicUrl());
  return { accountId: 1, apiEndpoint: publicUrl(), chatEndpoint: hostname, turnserverEndpoint: hostname };
}
