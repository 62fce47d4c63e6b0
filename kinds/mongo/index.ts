/** Endpoint kind `mongo`: its configuration, its requests and which of them write. */
import type { KindSpec } from '../kind.ts';
import { needsAdmin } from './admin.ts';
import { MongoConfig } from './config.ts';
import { modes, namesOfOperation } from './operations.ts';
import { MongoRequest } from './request.ts';
import { writesToSystem } from './targets.ts';
import { WATCH_OPERATIONS, type WatchName } from './watch.ts';

export type { MongoRequest };

export const mongo: KindSpec<MongoRequest, MongoConfig> = {
  label: 'Mongo',
  aliases: ['mongodb'],
  config: MongoConfig,
  request: MongoRequest,
  hasTransactions: true,
  limitsNames: true,
  oncePlace: 'collection',
  types: modes(),
  watches: (Object.keys(WATCH_OPERATIONS) as WatchName[]).flatMap(namesOfOperation),
  notCallable: [
    ...['client', 'clone_with_type', 'insert_one_model', 'replace_one_model'].flatMap((each) => [
      each,
      `database.collection.${each}`,
    ]),
    ...[
      'database.gridfs_bucket',
      'start_session',
      'shutdown',
      'with_options',
      'with_uri_str',
      'encrypted_builder',
    ],
  ],
  keepsText: true,
  needs: (request) => {
    const isAdmins = needsAdmin(request.command) || writesToSystem(request);
    return isAdmins ? 'Admin' : undefined;
  },
};
