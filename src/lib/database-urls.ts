/** One PostgreSQL database, which one or several servers may provide. */
export interface DatabaseServers {
  /** A URL per server, in the order of preference. */
  urls: string[];
  /** Only the server that accepts writes, as `target_session_attrs=read-write` of libpq. */
  needsPrimary: boolean;
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^@/?#]*)([^#]*)$/;

const NEEDS_PRIMARY: Record<string, boolean> = { any: false, primary: true, 'read-write': true };

/**
 * Reads a URL with several hosts, as libpq does: `postgresql://a,b:5433/atrium?target_session_attrs=read-write`.
 * @returns undefined if the URL is invalid
 */
export function databaseServers(url: string): DatabaseServers | undefined {
  const [, before, hosts, after] = PARTS.exec(url) ?? [];
  if (before === undefined) return undefined;
  const urls = hosts!.split(',').map((host) => `${before}${host}${after}`);
  if (!urls.every((one) => URL.canParse(one)) || (urls.length > 1 && hosts!.split(',').includes(''))) return undefined;
  const wanted = new URL(urls[0]!).searchParams.get('target_session_attrs');
  const needsPrimary = NEEDS_PRIMARY[wanted ?? 'any'];
  return needsPrimary === undefined ? undefined : { urls, needsPrimary };
}
