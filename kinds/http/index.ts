/** Endpoint kind `http`: its configuration, its requests and which of them write. */

import type { KindSpec } from '../kind.ts';
import { HttpConfig } from './config.ts';
import { HttpRequest, modeOfMethod, modeOfRequest, overrideIn } from './request.ts';

export type { HttpRequest };

export const http: KindSpec<HttpRequest, HttpConfig> = {
  label: 'Http',
  aliases: ['https', 'rest'],
  config: HttpConfig,
  request: HttpRequest,
  hasTransactions: false,
  passes: ['body', 'query'],
  writes: { body: 'whole' },
  types: { request: 'read' },
  modeOf: modeOfRequest,
  whyItWrites(request) {
    const { method } = request;
    if (modeOfMethod(method) === 'write') return { path: 'method', message: `${method} writes` };
    const header = overrideIn(request);
    return header === undefined
      ? undefined
      : { path: `headers.${header}`, message: 'may name another method' };
  },
  notCallable: [],
  defaultType: 'request',
};
