import fc from 'fast-check';

/** Property tests use the same inputs everywhere; `PROPERTY_SEED=<number>` uses others. */
const { PROPERTY_SEED = '20261122' } = process.env;

fc.configureGlobal({ seed: Number(PROPERTY_SEED) });

export { fc };
