// Preloaded into a server.
process.on('message', (asked) => {
  if (asked === 'peak') process.send({ peak: process.resourceUsage().maxRSS * 1024 });
});
