import { BlockList, isIP } from 'node:net';

export const MAX_NETWORKS = 20;

/** Clients are known by their IPv4 address or /64 network, so that longer IPv6 prefixes cannot be distinguished. */
const MAX_PREFIX = { 4: 32, 6: 64 };

/** Compiled lists, by their networks. */
const compiled = new Map<string, BlockList>();
const MAX_COMPILED = 1000;

/** Whether the text is an address or a network like `203.0.113.0/24` or `2001:db8::/48`. */
export function isNetwork(text: string): boolean {
  return parsed(text) !== undefined;
}

/** @param network of a client, as `clientNetwork` returns it */
export function isInNetworks(network: string, networks: readonly string[]): boolean {
  const [address = ''] = network.split('/', 1);
  const family = isIP(address);
  return family !== 0 && listOf(networks).check(address, family === 4 ? 'ipv4' : 'ipv6');
}

function listOf(networks: readonly string[]): BlockList {
  const key = networks.join(' ');
  const known = compiled.get(key);
  if (known) return known;
  const list = new BlockList();
  for (const { address, prefix, type } of networks.flatMap((network) => parsed(network) ?? [])) {
    list.addSubnet(address, prefix, type);
  }
  if (compiled.size >= MAX_COMPILED) compiled.clear();
  compiled.set(key, list);
  return list;
}

function parsed(text: string): { address: string; prefix: number; type: 'ipv4' | 'ipv6' } | undefined {
  const [, address = '', digits] = /^([\d.]+|[\da-fA-F:]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family !== 4 && family !== 6) return undefined;
  const max = MAX_PREFIX[family];
  const prefix = digits === undefined ? max : Number(digits);
  return prefix <= max ? { address, prefix, type: family === 4 ? 'ipv4' : 'ipv6' } : undefined;
}
