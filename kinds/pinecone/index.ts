/** Endpoint kind `pinecone`: its configuration, its requests and which of them write. */

import type { KindSpec } from '../kind.ts';
import { PineconeConfig } from './config.ts';
import { PASSED_PARAMETERS } from './parameters.ts';
import { PineconeRequest } from './request.ts';

export type { PineconeRequest };

export const pinecone: KindSpec<PineconeRequest, PineconeConfig> = {
  label: 'Pinecone',
  aliases: [],
  config: PineconeConfig,
  request: PineconeRequest,
  hasTransactions: false,
  passes: PASSED_PARAMETERS.map((path) => `body.${path}`),
  types: {
    query: 'read',
    fetch: 'read',
    list: 'read',
    describe_index_stats: 'read',
    upsert: 'write',
    update: 'write',
    delete: 'write',
  },
  notCallable: [],
};
