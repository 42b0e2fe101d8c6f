export interface Origin {
  socketAddress: string | undefined;
  forwardedFor: string | string[] | undefined;
}

/** Each of the `proxies` appends its peer. Counts from the right, because the client can forge entries further left. */
export function clientAddress({ socketAddress, forwardedFor }: Origin, proxies: number): string {
  const seen = socketAddress ?? '';
  if (proxies === 0 || forwardedFor === undefined) return seen;
  const entries = String(forwardedFor)
    .split(',')
    .map((entry) => withoutPort(entry.trim()));
  return [...entries, seen].at(-1 - Math.min(proxies, entries.length)) || seen;
}

/** Bounds untrusted text, because longer text would not fit into the key of the counter. */
const MAX_ADDRESS = 64;

export interface CallingRequest {
  socket: { remoteAddress?: string | undefined };
  headers: Record<string, string | string[] | undefined>;
}

export function networkOf({ socket, headers }: CallingRequest, proxies: number): string {
  const { remoteAddress: socketAddress } = socket;
  const forwardedFor = proxies === 0 ? undefined : headers['x-forwarded-for'];
  if (forwardedFor !== undefined) return clientNetwork(clientAddress({ socketAddress, forwardedFor }, proxies));
  const cached = peerNetworks.get(socket);
  if (cached !== undefined) return cached;
  const network = clientNetwork(socketAddress ?? '');
  if (socketAddress !== undefined) peerNetworks.set(socket, network);
  return network;
}

const peerNetworks = new WeakMap<CallingRequest['socket'], string>();

/** An IPv4 address, also inside IPv6, or the /64 network of an IPv6 address, because a client can use all of it. */
export function clientNetwork(address: string): string {
  const [text = ''] = address.slice(0, MAX_ADDRESS).toLowerCase().split('%', 1);
  if (!text.includes(':')) return text;
  const groups = groupsOf(text);
  if (!groups) return text;
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** `1.2.3.4:567` → `1.2.3.4`, `[::1]:80` → `::1`; an address without port is returned unchanged. */
function withoutPort(entry: string): string {
  return /^\[([^\]]*)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

function groupsOf(text: string): number[] | undefined {
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':').flatMap(numbersOf)));
  const [head = [], tail = []] = halves;
  const missing = 8 - head.length - tail.length;
  const isWhole = halves.length === 1 ? missing === 0 : halves.length === 2 && missing >= 0;
  const groups = [...head, ...Array<number>(Math.max(missing, 0)).fill(0), ...tail];
  return isWhole && groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}

function numbersOf(group: string): number[] {
  const dotted = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(group)?.slice(1).map(Number);
  if (dotted) return [dotted[0]! * 256 + dotted[1]!, dotted[2]! * 256 + dotted[3]!];
  return [/^[0-9a-f]{1,4}$/.test(group) ? Number.parseInt(group, 16) : Number.NaN];
}
