/** Endpoint kind `http`: its configuration, its requests and which of them write. */
import { HttpConfig } from './http/config.ts';
import { HttpRequest, modeOfMethod } from './http/request.ts';
import { shapes } from './http/shapes.ts';
import type { KindSpec } from './kind.ts';

export type { HttpRequest };

export const http: KindSpec<HttpRequest, HttpConfig> = {
  label: 'Http',
  aliases: ['https', 'rest'],
  config: HttpConfig,
  request: HttpRequest,
  shapes,
  types: { request: 'read' },
  modeOf: ({ method }) => modeOfMethod(method),
  notCallable: [],
  defaultType: 'request',
};
