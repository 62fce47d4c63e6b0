/** Triggers that cannot be, each with all that is told of it. */
import { type Bad, fired, hook } from './builders.ts';

/** A key of Standard Webhooks, 24 bytes. */
const KEY = `whsec_${btoa('a secret of the standard')}`;

export const TRIGGERS: readonly Bad[] = [
  ['a trigger that is a text', fired('api'), ['trigger: must be an object, a trigger']],
  ['no type', fired({}), ['trigger.type: is required: api, schedule, event, webhook, dataChange']],
  [
    'an unknown type',
    fired({ type: 'cron' }),
    ['trigger.type: "cron" is not known; known are api, schedule, event, webhook, dataChange'],
  ],
  [
    'eleven triggers',
    fired(Array.from({ length: 11 }, () => ({ type: 'api' }))),
    ['trigger: must have at most 10 triggers'],
  ],
  [
    'an unknown member',
    fired([{ type: 'api' }, { type: 'api', sync: true }]),
    [
      'trigger.1.sync: is no member of a trigger of type api; known are type, synchronous, authentication',
    ],
  ],
  [
    'anyone without a schema',
    fired({ type: 'api', authentication: { required: false } }),
    ['input: must have a schema: a trigger lets anyone start it'],
  ],
  ['no schedule', fired({ type: 'schedule' }), ['trigger.schedule: is required']],
  [
    'a schedule of four fields',
    fired({ type: 'schedule', schedule: '* * * *' }),
    [
      'trigger.schedule: must have five fields (minute, hour, day, month, weekday), or six with seconds first',
    ],
  ],
  [
    'a schedule of seven fields',
    fired({ type: 'schedule', schedule: '* * * * * * *' }),
    [
      'trigger.schedule: must have five fields (minute, hour, day, month, weekday), or six with seconds first',
    ],
  ],
  [
    'a minute that is none',
    fired({ type: 'schedule', schedule: '61 * * * *' }),
    [
      'trigger.schedule: is no schedule: the minute "61" is none; it takes 0 to 59, *, lists (1,3), ranges (1-3) and steps (*/2)',
    ],
  ],
  [
    'a month that is none, after seconds',
    fired({ type: 'schedule', schedule: '0 0 0 1 13 *' }),
    [
      'trigger.schedule: is no schedule: the month "13" is none; it takes 1 to 12, JAN to DEC, *, lists (1,3), ranges (1-3) and steps (*/2)',
    ],
  ],
  [
    'a day that never comes',
    fired({ type: 'schedule', schedule: '0 0 30 2 *' }),
    ['trigger.schedule: never comes: no day is like that'],
  ],
  [
    'a weekday that is none',
    fired({ type: 'schedule', schedule: '0 0 * * FOO' }),
    [
      'trigger.schedule: is no schedule: the weekday "FOO" is none; it takes 0 to 7, SUN to SAT, 5#2, *, lists (1,3), ranges (1-3) and steps (*/2)',
    ],
  ],
  [
    'a time zone that is none',
    fired({ type: 'schedule', schedule: '0 0 * * *', timezone: 'Mars/Base' }),
    ['trigger.timezone: must be a time zone, such as Europe/Berlin'],
  ],
  [
    'an offset for a time zone',
    fired({ type: 'schedule', schedule: '0 0 * * *', timezone: '+02:00' }),
    ['trigger.timezone: must be a time zone, such as Europe/Berlin'],
  ],
  [
    'an unknown way to miss',
    fired({ type: 'schedule', schedule: '0 0 * * *', missed: 'never' }),
    ['trigger.missed: "never" is not known; known are once, all, skip'],
  ],
  [
    'an input over the run',
    fired({ type: 'schedule', schedule: '0 0 * * *', input: { x: '$.input.y' } }),
    ['trigger.input.x: may read $.trigger alone: nothing else is known then (1:1)'],
  ],
  [
    'no source and no event',
    fired({ type: 'event' }),
    ['trigger.source: is required', 'trigger.event: is required'],
  ],
  [
    'a filter that does not parse',
    fired({ type: 'event', source: 's', event: 'e', filter: 'data.' }),
    ['trigger.filter: unexpected token (1:6)'],
  ],
  [
    'a mapping that does not parse',
    fired({ type: 'event', source: 's', event: 'e', mapping: { x: '$.data.(' } }),
    ['trigger.mapping.x: unexpected token (1:8)'],
  ],
  [
    'no path and no authentication',
    fired({ type: 'webhook' }),
    ['trigger.path: is required', 'trigger.authentication: is required'],
  ],
  [
    'a path with a query',
    hook({ type: 'hmac', header: 'X', secret: 'long enough' }, { path: 'a?b' }),
    ['trigger.path: must be 1 to 8 segments of letters, digits, _ and -, each of up to 64'],
  ],
  [
    'a path of nine segments',
    hook({ type: 'hmac', header: 'X', secret: 'long enough' }, { path: '1/2/3/4/5/6/7/8/9' }),
    ['trigger.path: must be 1 to 8 segments of letters, digits, _ and -, each of up to 64'],
  ],
  [
    'a path of callbacks',
    hook({ type: 'hmac', header: 'X', secret: 'long enough' }, { path: '/-/a' }),
    ['trigger.path: may not begin with -/: callbacks are there'],
  ],
  [
    'a secret of Standard Webhooks without a key',
    hook({ type: 'hmac', scheme: 'standard', secret: [KEY, 'whsec_a b c'] }),
    ['trigger.authentication.secret: must have base64 of 24 to 64 bytes after whsec_'],
  ],
  [
    'a key of Standard Webhooks of one byte',
    hook({ type: 'hmac', scheme: 'standard', secret: 'whsec_YQ==' }),
    ['trigger.authentication.secret: must have base64 of 24 to 64 bytes after whsec_'],
  ],
  [
    'a key of Standard Webhooks of 65 bytes',
    hook({ type: 'hmac', scheme: 'standard', secret: `whsec_${btoa('k'.repeat(65))}` }),
    ['trigger.authentication.secret: must have base64 of 24 to 64 bytes after whsec_'],
  ],
  [
    'a filter of a webhook',
    hook({ type: 'hmac', header: 'X', secret: 'long enough' }, { filter: 'true' }),
    [
      'trigger.filter: is no member of a trigger of type webhook; known are type, path, authentication, synchronous, mapping',
    ],
  ],
  [
    'an authentication without members',
    hook({}),
    [
      'trigger.authentication.type: is required: hmac',
      'trigger.authentication.header: is required of scheme plain: the header that has the signature',
      'trigger.authentication.secret: is required',
    ],
  ],
  [
    'an unknown type of authentication',
    hook({ type: 'basic', header: 'X', secret: 'long enough' }),
    ['trigger.authentication.type: "basic" is not known; known are hmac'],
  ],
  [
    'an unknown scheme',
    hook({ type: 'hmac', scheme: 'github', header: 'X', secret: 'long enough' }),
    [
      'trigger.authentication.scheme: "github" is not known; known are plain, standard, stripe, slack',
    ],
  ],
  [
    'a secret that is too short',
    hook({ type: 'hmac', header: 'X', secret: 'short' }),
    ['trigger.authentication.secret: must be a text of 8 to 512 characters, or a list of two'],
  ],
  [
    'three secrets',
    hook({ type: 'hmac', header: 'X', secret: ['long enough', 'long enough', 'long enough'] }),
    ['trigger.authentication.secret: must be a text of 8 to 512 characters, or a list of two'],
  ],
  [
    'a secret that is hidden',
    hook({ type: 'hmac', header: 'X', secret: '***' }),
    ['trigger.authentication.secret: is hidden here: send the secret itself'],
  ],
  [
    'a header that is none',
    hook({ type: 'hmac', header: 'X Y', secret: 'long enough' }),
    ['trigger.authentication.header: must be the name of a header'],
  ],
  [
    'an algorithm of another scheme',
    hook({ type: 'hmac', scheme: 'stripe', algorithm: 'sha512', secret: 'long enough' }),
    ['trigger.authentication.algorithm: is of scheme plain, and this is stripe'],
  ],
  [
    'an id in two places',
    hook({ type: 'hmac', header: 'X', secret: 'long enough', idHeader: 'Y', id: '$.body.id' }),
    ['trigger.authentication.id: says what idHeader says: write one'],
  ],
  [
    'no endpoint and no collection',
    fired({ type: 'dataChange' }),
    ['trigger.endpoint: is required', 'trigger.collection: is required'],
  ],
  [
    'changes of an endpoint that is not there',
    fired({ type: 'dataChange', endpoint: 'gone', collection: 'c' }),
    ['trigger.endpoint: names no endpoint of the organization: gone'],
  ],
  [
    'changes of HTTP',
    fired({ type: 'dataChange', endpoint: 'web', collection: 'c' }),
    ['trigger.endpoint: is of kind Http, whose changes cannot be watched'],
  ],
  [
    'an unknown operation',
    fired({ type: 'dataChange', endpoint: 'sql', collection: 'c', operation: ['upsert'] }),
    ['trigger.operation: must be one or more of insert, update, delete, write'],
  ],
];
