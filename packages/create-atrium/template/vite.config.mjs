export default {
  root: 'web',
  // Relative to `root`. By default, Vite serves the whole project, with the keys in `data`, to every page on this computer.
  server: { fs: { allow: ['.', '../node_modules'] }, cors: false },
  build: { outDir: '../dist', emptyOutDir: true, target: 'es2022' },
  test: { root: '.', testTimeout: 60_000, hookTimeout: 120_000 },
};
