/** Endpoint kind `mongo`: its configuration, its requests and which of them write. */
import type { KindSpec } from './kind.ts';
import { databasesOf, needsAdmin, writesToSystem } from './mongo/admin.ts';
import { MongoConfig } from './mongo/config.ts';
import { modes, namesOfOperation, OPERATIONS } from './mongo/operations.ts';
import { MongoRequest } from './mongo/request.ts';
import { shapes } from './mongo/shapes.ts';
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
  needs: ({ type, database, operations, command }) => {
    const isWrite = OPERATIONS[type].mode === 'write';
    const isSystems = [database, ...databasesOf(operations)].some((each) =>
      writesToSystem(each, isWrite, command),
    );
    return needsAdmin(command) || isSystems ? 'Admin' : undefined;
  },
};
