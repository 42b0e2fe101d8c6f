import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

export const NOT_PUBLIC = 'ENOTPUBLIC';

/** Private and special-purpose networks, from the IANA registries. */
const INSIDE = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const) {
  INSIDE.addSubnet(network, bits, 'ipv4');
}
// Only this range is allocated. Ranges that embed IPv4 addresses are excluded, because they could reach private hosts.
const GLOBAL_IPV6 = new BlockList();
GLOBAL_IPV6.addSubnet('2000::', 3, 'ipv6');
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  INSIDE.addSubnet(network, bits, 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !INSIDE.check(address, 'ipv4');
  return family === 6 && GLOBAL_IPV6.check(address, 'ipv6') && !INSIDE.check(address, 'ipv6');
}

/** Returns public addresses only. The connection uses the checked address, so that later DNS changes have no effect. */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = (found ?? []).filter(({ address }) => isPublicAddress(address));
    const failure = error ?? (addresses.length === 0 ? notPublic() : null);
    if (failure) callback(failure, []);
    else if (options.all) callback(null, addresses);
    else callback(null, (addresses[0] as LookupAddress).address, addresses[0]!.family);
  });
};

/** False for a private IP address. Names are checked when they are resolved. */
export function isOutside({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return isIP(host) === 0 || isPublicAddress(host);
}

const LOCAL_NAMES =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|private|lan|home|corp|svc|consul|docker|test|example|alt|invalid|onion|home\.arpa)$/;

export function isPublicHost(url: URL): boolean {
  const name = url.hostname.toLowerCase().replace(/\.$/, '');
  const isAddress = name.startsWith('[') || isIP(name) !== 0;
  return isAddress ? isOutside(new URL(`https://${name}`)) : name.includes('.') && !LOCAL_NAMES.test(name);
}

function notPublic(): NodeJS.ErrnoException {
  return Object.assign(new Error('the host has no public address'), { code: NOT_PUBLIC });
}
