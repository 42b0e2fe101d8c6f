import fc from 'fast-check';

/** Properties are tried with the same inputs on every machine; `PROPERTY_SEED=<number>` tries others. */
const { PROPERTY_SEED = '20261122' } = process.env;

fc.configureGlobal({ seed: Number(PROPERTY_SEED) });

export { fc };
