import { AtriumError, graphql } from '@atrium/client';
import { useAtrium } from '@atrium/react';
import { useEffect, useState } from 'react';

const KEY = graphql(`query Key { webPushKey(environment: "production") }`);
const SUBSCRIBE = graphql(
  `mutation Subscribe($input: CreateSubscriptionInput!) { createSubscription(input: $input) { id } }`,
);
const DEVICES = graphql(`query Devices { subscriptions { id channel } }`);
const UNSUBSCRIBE = graphql(`mutation Unsubscribe($id: Int!) { deleteSubscription(id: $id) }`);

/** Asks for pushes only when the user wants them. */
export function usePush() {
  const { client } = useAtrium();
  const [isOn, setOn] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isSupported = 'serviceWorker' in navigator && 'PushManager' in window;

  useEffect(() => {
    if (!isSupported) return;
    void navigator.serviceWorker
      .getRegistration()
      .then((registration) => registration?.pushManager.getSubscription())
      .then(
        (subscription) => setOn(subscription != null),
        () => {},
      );
  }, [isSupported]);

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
    const registration = await navigator.serviceWorker.getRegistration();
    await (await registration?.pushManager.getSubscription())?.unsubscribe();
    const { subscriptions } = await client.query(DEVICES);
    for (const { id, channel } of subscriptions) if (channel === 'web') await client.mutate(UNSUBSCRIBE, { id });
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

/** Names this browser, so that it has one subscription. */
function udid(): string {
  const known = localStorage.getItem('udid') ?? crypto.randomUUID();
  localStorage.setItem('udid', known);
  return known;
}
