/** The application: every slice's routes, the pages next to the API, and what happens to errors. */
import { Hono } from 'hono';
import { auditRoutes } from './audit/routes.ts';
import { authRoutes } from './auth/routes.ts';
import type { Bindings, Outside } from './context.ts';
import { mountDocs } from './docs/mount.ts';
import { endpointRoutes } from './endpoints/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { hookRoutes } from './facades/hooks/routes.ts';
import { upstashRoutes } from './facades/upstash/routes.ts';
import { grantRoutes } from './grants/routes.ts';
import { helpRoutes } from './help/routes.ts';
import { refuseOtherHosts } from './http/admit.ts';
import { asAllReplies } from './http/beside.ts';
import { shareWithOrigins } from './http/cors.ts';
import { openWhenReady } from './http/gate.ts';
import { mountMetrics } from './http/metrics.ts';
import { PathRouter } from './http/router.ts';
import { type App, mount, refuseMethod } from './http/run.ts';
import { jsonRoutes } from './json/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { nodeRoutes } from './nodes/node-routes.ts';
import { mountDescription } from './openapi/mount.ts';
import { organizationRoutes } from './organizations/routes.ts';
import type { AnyRoute } from './route.ts';
import { taskRoutes } from './tasks/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import { transactionRoutes } from './transactions/routes.ts';
import { userRoutes } from './users/routes.ts';
import { letterRoutes } from './workflows/executions/letter-routes.ts';
import { executionRoutes } from './workflows/executions/routes.ts';
import { triggerRoutes } from './workflows/executions/trigger-routes.ts';
import { workflowRoutes } from './workflows/routes.ts';

/** Every operation of the API, in the specification's order. */
export const routes: readonly AnyRoute[] = [
  ...authRoutes,
  ...organizationRoutes,
  ...endpointRoutes,
  ...nodeRoutes,
  ...templateRoutes,
  ...workflowRoutes,
  ...executionRoutes,
  ...letterRoutes,
  ...triggerRoutes,
  ...eventRoutes,
  ...taskRoutes,
  ...transactionRoutes,
  ...auditRoutes,
  ...userRoutes,
  ...keyRoutes,
  ...grantRoutes(() => routes),
  ...jsonRoutes,
  ...helpRoutes(() => routes),
];

/** What speaks another product's protocol, next to the API. Contract: "Base path". */
export const facades: readonly AnyRoute[] = [...upstashRoutes, ...hookRoutes];

/** The app with all routes mounted; `outside` is the clock and the network. */
export function createApp(outside: Outside): App {
  const app: App = new Hono<{ Bindings: Bindings }>({ router: new PathRouter() });
  app.get('/healthz', asAllReplies, (c) => c.json({ status: 'ok' }));
  mountDocs(app, routes);
  mountDescription(app, [...routes, ...facades]);
  mountMetrics(app);
  for (const page of ['/healthz', '/metrics', '/docs', '/openapi.json']) {
    app.all(page, (c) => refuseMethod(c, ['GET']));
  }
  mount(app, [...routes, ...facades], outside);
  shareWithOrigins(app);
  refuseOtherHosts(app);
  openWhenReady(app);
  return app;
}
