import type { Bus } from './bus.ts';

const TOPIC = 'pushes';

/** Wakes the push senders of all processes. Signals may be lost, so each process also polls. */
export class PushNotifier {
  readonly #bus: Bus;
  readonly #listeners = new Set<() => void>();

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.on(TOPIC, () => this.#notifyHere());
  }

  onWake(listener: () => void): void {
    this.#listeners.add(listener);
  }

  wake(): void {
    this.#notifyHere();
    this.#bus.publish(TOPIC);
  }

  #notifyHere(): void {
    for (const listener of this.#listeners) listener();
  }
}
