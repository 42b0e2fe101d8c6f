/** Notices between the tabs of a browser. */
export function channelOf<Notice>(name: string, receive: (notice: Notice) => void): BroadcastChannel | undefined {
  if (typeof BroadcastChannel === 'undefined') return undefined;
  const channel = new BroadcastChannel(name);
  (channel as { unref?: () => void }).unref?.();
  channel.onmessage = ({ data }: MessageEvent<Notice>) => receive(data);
  return channel;
}

const running = new Map<string, Promise<unknown>>();

/** Runs one `act` per name at a time: across tabs with Web Locks, otherwise within this page. */
export async function inTurn(name: string, signal: AbortSignal, act: () => Promise<void>): Promise<void> {
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks;
  if (locks) return void (await locks.request(name, { signal }, act));
  const before = running.get(name);
  const turn = (async () => {
    await before;
    if (!signal.aborted) await act();
  })();
  const settled = turn.catch(() => {});
  running.set(name, settled);
  await turn.finally(() => {
    if (running.get(name) === settled) running.delete(name);
  });
}
