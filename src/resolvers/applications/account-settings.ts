import type { Services } from '../../context.ts';

export interface AccountSettings {
  accountId: number;
  apiEndpoint: string;
  chatEndpoint: string;
  turnserverEndpoint: string;
}

export function findAccountSettings({ publicUrl, chatDomain }: Services): AccountSettings {
  const turnserverEndpoint = new URL(publicUrl()).hostname;
  return { accountId: 1, apiEndpoint: publicUrl(), chatEndpoint: chatDomain(), turnserverEndpoint };
}
