/** URL of the service. Modules are served from `console/assets` below it, so that the pages work below any path. */
export const root = import.meta.env.DEV
  ? new URL('/', location.href)
  : new URL(/* @vite-ignore */ '../../', import.meta.url);

export const graphqlUrl = new URL('graphql', root);

export const socketUrl = new URL(graphqlUrl);
socketUrl.protocol = graphqlUrl.protocol.replace('http', 'ws');
