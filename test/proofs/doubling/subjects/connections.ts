/** Connections of endpoints, which are read when one is created, too. */
import { settingsOf as mysqlSettings } from '../../../../kinds/mysql/dialect/settings.ts';
import { settingsOf as postgresSettings } from '../../../../kinds/postgres/dialect/settings.ts';
import { settingsOf as cassandraSettings } from '../../../../node-relay/drivers/cassandra/settings.ts';
import { settingsOf as clickhouseSettings } from '../../../../node-relay/drivers/clickhouse/settings.ts';
import { settingsOf as mongoSettings } from '../../../../node-relay/drivers/mongo/settings.ts';
import { settingsOf as redisSettings } from '../../../../node-relay/drivers/redis/settings.ts';
import type { Json } from '../../../../proto/json.ts';
import { neonSettings } from '../../../../worker/drivers/edge/neon/settings.ts';
import { planetScaleSettings } from '../../../../worker/drivers/edge/planetscale/settings.ts';
import { settingsOf as upstashSettings } from '../../../../worker/drivers/edge/upstash/settings.ts';
import { splitUrl } from '../../../../worker/endpoints/connection-url.ts';
import { type Subject, text } from '../subject.ts';

const READERS: readonly (readonly [string, string, (connection: Json) => unknown])[] = [
  ['mysql', 'kinds/mysql/dialect/settings.ts', mysqlSettings],
  ['postgres', 'kinds/postgres/dialect/settings.ts', postgresSettings],
  ['cassandra', 'node-relay/drivers/cassandra/settings.ts', cassandraSettings],
  ['clickhouse', 'node-relay/drivers/clickhouse/settings.ts', clickhouseSettings],
  ['mongodb', 'node-relay/drivers/mongo/settings.ts', (given) => mongoSettings(given, {})],
  ['redis', 'node-relay/drivers/redis/settings.ts', redisSettings],
  ['postgres of Neon', 'worker/drivers/edge/neon/settings.ts', neonSettings],
  ['mysql of PlanetScale', 'worker/drivers/edge/planetscale/settings.ts', planetScaleSettings],
  ['https of Upstash', 'worker/drivers/edge/upstash/settings.ts', upstashSettings],
];

function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (refusal) {
    return refusal;
  }
}

export const CONNECTIONS: readonly Subject[] = [
  ...READERS.map(([name, file, read]) => {
    const begin = `${name.split(' ', 1)[0]}://`;
    return text(`a connection of ${name}`, [file], (each) => [
      attempt(() => read({ url: `${begin}u:p@h/d?${each}` })),
      attempt(() => read({ url: `${begin}u:p@h/${each}` })),
      attempt(() => read({ url: `${begin}u:p@${each}` })),
      attempt(() => read({ host: each, port: 1, auth: each })),
    ]);
  }),
  text('parts of a connection URL', ['worker/endpoints/connection-url.ts'], (each) => [
    splitUrl(each),
    splitUrl(`a://${each}`),
  ]),
];
