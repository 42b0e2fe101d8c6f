import type { Bus } from './bus.ts';

/** On which a process tells the others that there are pushes to send. */
const TOPIC = 'pushes';

/** Calls all processes to the pushes that are due: a call may be lost, so each also looks by itself now and then. */
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

  /** Call it after the commit of what there is to do. */
  wake(): void {
    this.#notifyHere();
    this.#bus.publish(TOPIC);
  }

  #notifyHere(): void {
    for (const listener of this.#listeners) listener();
  }
}
