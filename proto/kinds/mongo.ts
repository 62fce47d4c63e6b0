/** Endpoint kind `mongo`: its configuration, its requests and which of them write. */
import type { KindSpec } from './kind.ts';
import { needsAdmin } from './mongo/admin.ts';
import { MongoConfig } from './mongo/config.ts';
import { modes, namesOfOperation } from './mongo/operations.ts';
import { MongoRequest } from './mongo/request.ts';
import { shapes } from './mongo/shapes.ts';
import { writesToSystem } from './mongo/targets.ts';
import { WATCH_OPERATIONS, type WatchName } from './mongo/watch.ts';

export type { MongoRequest };

export const mongo: KindSpec<MongoRequest, MongoConfig> = {
  label: 'Mongo',
  aliases: ['mongodb'],
  config: MongoConfig,
  request: MongoRequest,
  shapes,
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
