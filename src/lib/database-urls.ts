/** One PostgreSQL database, which one or several servers may provide. */
export interface DatabaseServers {
  /** A URL per server. */
  urls: string[];
  /** Only the server that accepts writes, as `target_session_attrs=read-write` of libpq. */
  needsPrimary: boolean;
}

const PROTOCOL = /^postgres(ql)?:\/\//;

const NEEDS_PRIMARY = new Map([
  ['any', false],
  ['primary', true],
  ['read-write', true],
]);

/**
 * Reads a URL with several hosts, as libpq does: `postgresql://a,b:5433/atrium?target_session_attrs=read-write`.
 * @returns undefined if the URL is invalid
 */
export function databaseServers(url: string): DatabaseServers | undefined {
  const [protocol] = PROTOCOL.exec(url) ?? [];
  if (protocol === undefined) return undefined;
  const [authority = ''] = url.slice(protocol.length).split(/[/?#]/, 1);
  const hostsAt = protocol.length + authority.lastIndexOf('@') + 1;
  const after = url.slice(protocol.length + authority.length);
  const hosts = url.slice(hostsAt, url.length - after.length).split(',');
  const urls = hosts.map((host) => `${url.slice(0, hostsAt)}${host}${after}`);
  if (!urls.every((one) => URL.canParse(one)) || (hosts.length > 1 && hosts.includes(''))) return undefined;
  const wanted = new URL(urls[0]!).searchParams.get('target_session_attrs');
  const needsPrimary = NEEDS_PRIMARY.get(wanted ?? 'any');
  return needsPrimary === undefined ? undefined : { urls, needsPrimary };
}
