import { type AtriumClient, AtriumError, graphql } from '@atrium/client';
import { useAtrium } from '@atrium/react';
import { useEffect, useState } from 'react';

const KEY = graphql(`query Key { webPushKey(environment: "production") }`);
const SUBSCRIBE = graphql(
  `mutation Subscribe($input: CreateSubscriptionInput!) { createSubscription(input: $input) { id } }`,
);
const DEVICES = graphql(`query Devices { subscriptions { id clientIdentificationSequence } }`);
const UNSUBSCRIBE = graphql(`mutation Unsubscribe($id: Int!) { deleteSubscription(id: $id) }`);

/** Asks for pushes only when the user wants them. */
export function usePush() {
  const { client } = useAtrium();
  const [isOn, setOn] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window;

  useEffect(() => {
    if (!isSupported) return;
    findDevice(client).then(
      ({ device }) => setOn(device !== undefined),
      () => {},
    );
  }, [client, isSupported]);

  const turnOn = async () => {
    const registration = await navigator.serviceWorker.register('/worker.js');
    const { webPushKey } = await client.query(KEY);
    const options = { userVisibleOnly: true, applicationServerKey: webPushKey };
    const { endpoint, keys } = (await registration.pushManager.subscribe(options)).toJSON();
    if (!endpoint || !keys?.p256dh || !keys.auth) throw new Error('The browser returned no keys');
    await client.mutate(SUBSCRIBE, {
      input: {
        channels: ['web'],
        device: { platform: 'web', udid: udid() },
        token: { environment: 'production', endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } },
      },
    });
    setOn(true);
  };

  const turnOff = async () => {
    const { browser, device } = await findDevice(client);
    await browser?.unsubscribe();
    if (device) await client.mutate(UNSUBSCRIBE, { id: device.id });
    setOn(false);
  };

  const toggle = () => {
    setProblem(undefined);
    (isOn ? turnOff() : turnOn()).catch((error: unknown) => {
      const isMissing = error instanceof AtriumError && error.code === 'NOT_FOUND';
      setProblem(isMissing ? 'Web push is not set up on this service.' : 'The browser does not allow notifications.');
    });
  };
  return { isSupported, isOn, toggle, problem };
}

/** The subscription of this browser; `device` only if it is one of the user, who may not be the first one here. */
async function findDevice(client: AtriumClient) {
  const registration = await navigator.serviceWorker.getRegistration();
  const browser = await registration?.pushManager.getSubscription();
  if (!browser) return {};
  const { subscriptions } = await client.query(DEVICES);
  const device = subscriptions.find((one) => one.clientIdentificationSequence === browser.endpoint);
  return { browser, device };
}

/** Names this browser, so that it has one subscription. */
function udid(): string {
  const known = localStorage.getItem('udid') ?? crypto.randomUUID();
  localStorage.setItem('udid', known);
  return known;
}
