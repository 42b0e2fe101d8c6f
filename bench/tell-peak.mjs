// Loaded into a server before anything else: tells its parent, when asked, the most memory it has ever had.
process.on('message', (asked) => {
  if (asked === 'peak') process.send({ peak: process.resourceUsage().maxRSS * 1024 });
});
