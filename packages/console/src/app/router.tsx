import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { root } from '../root.ts';
import { administratorQuery } from './administrator.ts';
import { queryClient } from './query-client.ts';
import { NotFoundPage, PageFailure } from './route-failures.tsx';
import { words } from './search-words.ts';
import { Shell } from './shell.tsx';
import { SignInPage } from './sign-in-page.tsx';

const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFoundPage });

const signIn = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  validateSearch: words('to'),
  component: SignInPage,
});

const welcome = createRoute({
  getParentRoute: () => rootRoute,
  path: '/welcome',
  component: lazyRouteComponent(() => import('../pages/welcome.tsx'), 'WelcomePage'),
});

const components = createRoute({
  getParentRoute: () => rootRoute,
  path: '/-/components',
  component: import.meta.env.DEV
    ? lazyRouteComponent(() => import('./components-page.tsx'), 'ComponentsPage')
    : undefined,
  beforeLoad: () => {
    if (!import.meta.env.DEV) throw notFound();
  },
});

const shell = createRoute({
  getParentRoute: () => rootRoute,
  id: 'shell',
  component: Shell,
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(administratorQuery);
    if (!me) throw redirect({ to: '/sign-in', search: { to: location.publicHref } });
  },
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: words('create'),
  component: lazyRouteComponent(() => import('../pages/home.tsx'), 'HomePage'),
});

const administrators = createRoute({
  getParentRoute: () => shell,
  path: '/administrators',
  validateSearch: words('create'),
  component: lazyRouteComponent(() => import('../pages/administrators.tsx'), 'AdministratorsPage'),
});

const administratorsAudit = createRoute({
  getParentRoute: () => shell,
  path: '/administrators/audit',
  validateSearch: words('actor', 'action', 'subject', 'id', 'entry'),
  component: lazyRouteComponent(() => import('../pages/audit.tsx'), 'AdministratorsAuditPage'),
});

const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  component: lazyRouteComponent(() => import('../pages/profile.tsx'), 'ProfilePage'),
});

const application = createRoute({
  getParentRoute: () => shell,
  path: '/apps/$application',
  params: {
    parse: ({ application }) => ({ application: Number(application) }),
    stringify: ({ application }) => ({ application: String(application) }),
  },
});

const overview = createRoute({
  getParentRoute: () => application,
  path: '/overview',
  validateSearch: words('hours'),
  component: lazyRouteComponent(() => import('../pages/overview.tsx'), 'OverviewPage'),
});

const users = createRoute({
  getParentRoute: () => application,
  path: '/users',
  validateSearch: words('search', 'tag', 'role', 'create'),
  component: lazyRouteComponent(() => import('../pages/users.tsx'), 'UsersPage'),
});

const user = createRoute({
  getParentRoute: () => application,
  path: '/users/$user',
  component: lazyRouteComponent(() => import('../pages/user.tsx'), 'UserPage'),
});

const roles = createRoute({
  getParentRoute: () => application,
  path: '/roles',
  validateSearch: words('create', 'role'),
  component: lazyRouteComponent(() => import('../pages/roles.tsx'), 'RolesPage'),
});

const dialogs = createRoute({
  getParentRoute: () => application,
  path: '/dialogs',
  validateSearch: words('user', 'type'),
  component: lazyRouteComponent(() => import('../pages/dialogs.tsx'), 'DialogsPage'),
});

const dialog = createRoute({
  getParentRoute: () => application,
  path: '/dialogs/$dialog',
  component: lazyRouteComponent(() => import('../pages/dialog.tsx'), 'DialogPage'),
});

const classes = createRoute({
  getParentRoute: () => application,
  path: '/data',
  validateSearch: words('define'),
  component: lazyRouteComponent(() => import('../pages/records/classes.tsx'), 'ClassesPage'),
});

const recordClass = createRoute({
  getParentRoute: () => application,
  path: '/data/$class',
  validateSearch: words('filter', 'sort', 'as', 'tab', 'define', 'record', 'panel', 'create', 'import', 'requests'),
  component: lazyRouteComponent(() => import('../pages/records/class.tsx'), 'ClassPage'),
});

const files = createRoute({
  getParentRoute: () => application,
  path: '/files',
  validateSearch: words('user', 'file'),
  component: lazyRouteComponent(() => import('../pages/files/files.tsx'), 'FilesPage'),
});

const pushes = createRoute({
  getParentRoute: () => application,
  path: '/pushes',
  validateSearch: words('user', 'create', 'failed'),
  component: lazyRouteComponent(() => import('../pages/pushes/pushes.tsx'), 'PushesPage'),
});

const push = createRoute({
  getParentRoute: () => application,
  path: '/pushes/$event',
  validateSearch: words('user'),
  component: lazyRouteComponent(() => import('../pages/pushes/push.tsx'), 'PushPage'),
});

const send = createRoute({
  getParentRoute: () => application,
  path: '/pushes/sends/$send',
  validateSearch: words('user', 'status'),
  component: lazyRouteComponent(() => import('../pages/pushes/send.tsx'), 'SendPage'),
});

const live = createRoute({
  getParentRoute: () => application,
  path: '/live',
  validateSearch: words('class', 'dialog', 'kinds'),
  component: lazyRouteComponent(() => import('../pages/live/live.tsx'), 'LivePage'),
});

const LOG_SEARCH = ['status', 'transport', 'route', 'caller', 'user', 'id', 'period', 'request', 'sort'] as const;

const logs = createRoute({
  getParentRoute: () => application,
  path: '/logs',
  validateSearch: words(...LOG_SEARCH),
  component: lazyRouteComponent(() => import('../pages/logs/logs.tsx'), 'LogsPage'),
});

const serviceLogs = createRoute({
  getParentRoute: () => shell,
  path: '/logs',
  validateSearch: words(...LOG_SEARCH),
  component: lazyRouteComponent(() => import('../pages/logs/logs.tsx'), 'ServiceLogsPage'),
});

const keys = createRoute({
  getParentRoute: () => application,
  path: '/keys',
  validateSearch: words('create', 'key'),
  component: lazyRouteComponent(() => import('../pages/keys/keys.tsx'), 'KeysPage'),
});

const audit = createRoute({
  getParentRoute: () => application,
  path: '/audit',
  validateSearch: words('actor', 'action', 'subject', 'id', 'entry'),
  component: lazyRouteComponent(() => import('../pages/audit.tsx'), 'AuditPage'),
});

const jobs = createRoute({
  getParentRoute: () => application,
  path: '/backups',
  validateSearch: words('start'),
  component: lazyRouteComponent(() => import('../pages/jobs/jobs.tsx'), 'JobsPage'),
});

const job = createRoute({
  getParentRoute: () => application,
  path: '/backups/$job',
  component: lazyRouteComponent(() => import('../pages/jobs/job.tsx'), 'JobPage'),
});

const integrations = createRoute({
  getParentRoute: () => application,
  path: '/integrations',
  validateSearch: words('tab'),
  component: lazyRouteComponent(() => import('../pages/integrations/page.tsx'), 'IntegrationsPage'),
});

const explorer = createRoute({
  getParentRoute: () => application,
  path: '/explorer',
  validateSearch: words('user'),
  component: lazyRouteComponent(() => import('../pages/explorer.tsx'), 'ExplorerPage'),
});

const settings = createRoute({
  getParentRoute: () => application,
  path: '/settings',
  component: lazyRouteComponent(() => import('../pages/settings.tsx'), 'SettingsPage'),
});

const routeTree = rootRoute.addChildren([
  signIn,
  welcome,
  components,
  shell.addChildren([
    home,
    administrators,
    administratorsAudit,
    serviceLogs,
    profile,
    application.addChildren([
      overview,
      users,
      user,
      roles,
      classes,
      recordClass,
      dialogs,
      dialog,
      files,
      pushes,
      push,
      send,
      live,
      logs,
      keys,
      audit,
      jobs,
      job,
      integrations,
      explorer,
      settings,
    ]),
  ]),
]);

export const router = createRouter({
  routeTree,
  basepath: new URL('console', root).pathname,
  // All values are texts. By default, the router writes those that look like numbers in quotes.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined);
    return given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  },
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
