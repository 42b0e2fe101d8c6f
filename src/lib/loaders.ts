import type { Viewer } from './access.ts';

/** Created on first use, because thousands of idle subscribers hold a context and use none. */
export class Loaders {
  readonly #viewer: Viewer;
  #loaders: Map<unknown, unknown> | undefined;

  constructor(viewer: Viewer) {
    this.#viewer = viewer;
  }

  of<Loader>(create: (viewer: Viewer) => Loader): Loader {
    this.#loaders ??= new Map();
    if (!this.#loaders.has(create)) this.#loaders.set(create, create(this.#viewer));
    return this.#loaders.get(create) as Loader;
  }
}
