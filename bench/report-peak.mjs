// Preloaded into a server.
process.on('message', (request) => {
  if (request === 'peak') process.send({ peak: process.resourceUsage().maxRSS * 1024 });
});
