export default {
  root: 'web',
  build: { outDir: '../dist', emptyOutDir: true, target: 'es2022' },
  test: { root: '.', testTimeout: 60_000, hookTimeout: 120_000 },
};
