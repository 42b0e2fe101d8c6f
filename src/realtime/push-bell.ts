import type { Bus } from './bus.ts';

/** On which a process tells the others that there are pushes to send. */
const TOPIC = 'pushes';

/** Calls all processes to the pushes that are due: a call may be lost, so each also looks by itself now and then. */
export class PushBell {
  readonly #bus: Bus;
  readonly #hearers = new Set<() => void>();

  constructor(bus: Bus) {
    this.#bus = bus;
    bus.on(TOPIC, () => this.#ringHere());
  }

  onRing(hearer: () => void): void {
    this.#hearers.add(hearer);
  }

  /** Call it after the commit of what there is to do. */
  ring(): void {
    this.#ringHere();
    this.#bus.tell(TOPIC);
  }

  #ringHere(): void {
    for (const hearer of this.#hearers) hearer();
  }
}
