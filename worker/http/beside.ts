/** What is next to the API: pages and documents that need no token. Contract: "Base path". */
import type { MiddlewareHandler } from 'hono';
import { requestIdOf } from './request-id.ts';
import { ALWAYS } from './respond.ts';

/** Contract: "Other headers". Set on the reply itself: around it, its content would be encoded again. */
export const asAllReplies: MiddlewareHandler = async (c, next) => {
  await next();
  const headers = { ...ALWAYS, 'X-Request-Id': requestIdOf(c.req.raw.headers) };
  for (const [name, value] of Object.entries(headers)) {
    if (!c.res.headers.has(name)) c.res.headers.set(name, value);
  }
};
