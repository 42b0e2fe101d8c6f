import type { Page } from 'playwright-core';

export interface PageLoad {
  /** Received over the network, headers included. */
  bytes: number;
  /** Number of requests of the longest chain in which each is caused by the response to the one before. */
  roundTrips: number;
  urls: string[];
}

interface Sent {
  url: string;
  roundTrip: number;
}

/** Measures what a page loads until `isReady` resolves. */
export async function measureLoad(page: Page, url: string, isReady: () => Promise<unknown>): Promise<PageLoad> {
  const protocol = await page.context().newCDPSession(page);
  await protocol.send('Network.enable');
  const sent = new Map<string, Sent>();
  const byUrl = new Map<string, number>();
  let bytes = 0;
  protocol.on('Network.requestWillBeSent', ({ requestId, request, initiator }) => {
    if (!/^https?:/.test(request.url)) return;
    const frames = [];
    for (let stack = initiator.stack; stack; stack = stack.parent) frames.push(...stack.callFrames);
    const causes = [initiator.url, ...frames.map((frame) => frame.url)].map((cause) => byUrl.get(cause ?? '') ?? 0);
    const roundTrip = 1 + Math.max(0, ...causes);
    sent.set(requestId, { url: request.url, roundTrip });
    byUrl.set(request.url, Math.max(roundTrip, byUrl.get(request.url) ?? 0));
  });
  protocol.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  await page.goto(url);
  await isReady();
  await page.waitForLoadState('networkidle');
  await protocol.detach();
  const requests = [...sent.values()];
  return {
    bytes,
    roundTrips: Math.max(...requests.map(({ roundTrip }) => roundTrip)),
    urls: requests.map(({ url, roundTrip }) => `${roundTrip} ${new URL(url).pathname}`),
  };
}
