/** API keys as on the wire. Spec: keys-and-doors.md §1. */
import * as z from 'zod';
import { parseAddress } from '../../proto/networks.ts';
import { AccessLevel } from '../levels.ts';
import { PageQuery } from '../shapes/cursor.ts';
import { ChosenId } from '../shapes/ids.ts';
import { GivenTime, message, NextCursor, timestamp, uuid } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';
import { Description } from '../shapes/texts.ts';
import { KEY_RECORD, MADE_KEY, NEW_KEY, PERSONAL_RECORD, SAMPLE_KEY } from './examples.ts';

/** Entries of each of the three objects. Spec silent. */
const LEVELS_MAX = 100;
/** Networks of one key. Spec silent. */
const ADDRESSES_MAX = 100;
/** Spec: keys-and-doors.md §1, `grace_s`. */
const GRACE_MAX_S = 86_400;
const GRACE_DEFAULT_S = 3_600;
const CIDR = /^([^/]+)\/(0|[1-9]\d{0,2})$/;
const BITS = { ipv4: 32, ipv6: 128 } as const;

/** Not checked here: what is no UUID is of no key. */
export const KeyPath = z.object({
  key: z
    .string()
    .min(1)
    .meta({
      description: 'The `id` of the key, a UUID, as `GET /iam/keys` lists it',
      examples: [SAMPLE_KEY.uuid],
    }),
});

const Name = ChosenId.meta({
  description:
    "Chosen name: 1 to 128 letters, digits, dots, underscores and hyphens; unique among the organization's keys, of a personal one among yours",
  examples: [SAMPLE_KEY.name],
});

const Network = z
  .string()
  .max(64)
  .refine(isCidr, 'must be a network in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32');

function isCidr(text: string): boolean {
  const [, address = '', prefix] = CIDR.exec(text) ?? [];
  // A zone is of one machine, not of a network.
  const parsed = address.includes('%') ? undefined : parseAddress(address);
  return parsed !== undefined && Number(prefix) <= BITS[parsed.family];
}

const levels = (kind: string, example: object) =>
  z
    .record(z.string().min(1), AccessLevel)
    .refine(
      (all) => Object.keys(all).length <= LEVELS_MAX,
      `must have at most ${LEVELS_MAX} entries`,
    )
    .meta({
      description: `Levels on single ${kind}, by id or UUID; at most ${LEVELS_MAX}`,
      examples: [example],
    });

const settable = {
  description: Description.unwrap().meta({
    description: 'What it is for, in your own words; at most 4096 characters',
    examples: [NEW_KEY.description],
  }),
  expires: GivenTime.meta({
    description: 'From when on it is refused; not in the past',
    examples: [SAMPLE_KEY.expires],
  }),
  endpoints: levels('endpoints', SAMPLE_KEY.levels),
  templates: levels('templates', { [SAMPLE.template]: 'Read' }),
  workflows: levels('workflows', { [SAMPLE.workflow]: 'Write' }),
  addresses: z
    .array(Network)
    .min(1)
    .max(ADDRESSES_MAX)
    .meta({
      description: `Networks that it is taken from, in CIDR notation; at most ${ADDRESSES_MAX}`,
      examples: [NEW_KEY.addresses],
    }),
};

/** What a key is made of. */
export const NewKey = z
  .strictObject({
    name: Name,
    description: settable.description.optional(),
    expires: settable.expires.optional().meta({
      description: 'From when on it is refused; not in the past; left out, it does not expire',
      examples: [SAMPLE_KEY.expires],
    }),
    access_level: AccessLevel.optional().meta({
      description:
        "Level on the organization; left out, an organization's key has none, and a personal one that of its owner",
    }),
    endpoints: settable.endpoints.optional(),
    templates: settable.templates.optional(),
    workflows: settable.workflows.optional(),
    addresses: settable.addresses.optional(),
  })
  .meta({
    id: 'NewKey',
    description: 'A key, and what it may',
    examples: [NEW_KEY, { name: 'notebook' }],
  });
export type NewKey = z.infer<typeof NewKey>;

/** What a PATCH changes; each object takes the place of the one before as a whole. */
export const KeyChanges = z
  .strictObject({
    name: Name.optional(),
    description: settable.description.optional(),
    expires: settable.expires
      .nullable()
      .optional()
      .meta({
        description: 'From when on it is refused, not in the past; null: it does not expire',
        examples: [SAMPLE_KEY.expires],
      }),
    access_level: AccessLevel.nullable().optional().meta({
      description:
        "Level on the organization; null takes it away, and of a personal key it is then its owner's",
    }),
    endpoints: settable.endpoints.optional(),
    templates: settable.templates.optional(),
    workflows: settable.workflows.optional(),
    addresses: settable.addresses
      .nullable()
      .optional()
      .meta({
        description: 'Networks that it is taken from; null: all',
        examples: [NEW_KEY.addresses],
      }),
  })
  .meta({
    id: 'KeyPatch',
    description:
      'Changes of a key: what is left out stays; `endpoints`, `templates` and `workflows` each replace what was there',
    examples: [{ endpoints: { [SAMPLE.endpoint]: 'Read' } }],
  });
export type KeyChanges = z.infer<typeof KeyChanges>;

/** How long the text that is replaced goes on. */
export const Rotation = z
  .strictObject({
    grace_s: z
      .int()
      .min(0)
      .max(GRACE_MAX_S)
      .default(GRACE_DEFAULT_S)
      .meta({
        description: 'Seconds for which the key so far is taken, too; 0 ends it at once',
        examples: [GRACE_DEFAULT_S],
      }),
  })
  .prefault({})
  .meta({
    id: 'KeyRotation',
    description: 'How a key is rotated',
    examples: [{ grace_s: 600 }],
  });
export type Rotation = z.infer<typeof Rotation>;

export const ListQuery = PageQuery;

const ShownLevel = AccessLevel.nullable().meta({
  description:
    "Level on the organization; null of an organization's key that has no rule there. Of a personal key that was given none, its owner's",
});
const common = {
  id: uuid('The key, whatever it is called', SAMPLE_KEY.uuid),
  name: z.string().meta({ description: 'Its chosen name', examples: [SAMPLE_KEY.name] }),
};
const created = timestamp('When it was made', SAMPLE_KEY.created);
const expires = timestamp(
  'From when on it is refused; absent: never',
  SAMPLE_KEY.expires,
).optional();

/** What making and rotating answers: the only time that the key itself is told. */
export const MadeKey = z
  .object({
    ...common,
    key: z.string().meta({
      description:
        'The key: a bearer token wherever one is taken. It is told this once; `cwk_`, 43 characters, and a checksum of 6',
      examples: [SAMPLE_KEY.text],
    }),
    access_level: ShownLevel,
    created,
    expires,
  })
  .meta({ id: 'MadeKey', description: 'A key with its text', examples: [MADE_KEY] });

const shownLevels = (kind: string, example: object) =>
  z.record(z.string(), AccessLevel).meta({
    description: `Levels on single ${kind}, by id`,
    examples: [example],
  });

/** A key as it is shown. */
export const KeyRecord = z
  .object({
    ...common,
    description: z.string().meta({
      description: 'What it is for; empty when nobody said',
      examples: [KEY_RECORD.description],
    }),
    owner: z
      .string()
      .optional()
      .meta({
        description: "Whose personal key it is, a username; absent of an organization's key",
        examples: [SAMPLE.bruno],
      }),
    access_level: ShownLevel,
    endpoints: shownLevels('endpoints', SAMPLE_KEY.levels),
    templates: shownLevels('templates', { [SAMPLE.template]: 'Read' }),
    workflows: shownLevels('workflows', { [SAMPLE.workflow]: 'Write' }),
    addresses: z
      .array(z.string())
      .nullable()
      .meta({
        description: 'Networks that it is taken from; null: all',
        examples: [NEW_KEY.addresses],
      }),
    created,
    created_by: z.string().meta({ description: 'Who made it, a username', examples: [SAMPLE.ada] }),
    expires,
    last_used: timestamp(
      'When it last was the token of a call, seconds late; absent: never',
    ).optional(),
    status: z
      .enum(['active', 'expired'])
      .meta({ description: 'Whether `expires` has passed', examples: ['active'] }),
  })
  .meta({
    id: 'ApiKey',
    description: 'A key, without its text',
    examples: [KEY_RECORD, PERSONAL_RECORD],
  });

/** A page of keys. */
export const KeyPage = z
  .object({
    keys: z.array(KeyRecord).meta({ description: 'In the order of their names' }),
    next_cursor: NextCursor,
  })
  .meta({
    id: 'KeyPage',
    description: 'A page of keys',
    examples: [{ keys: [KEY_RECORD, PERSONAL_RECORD], next_cursor: SAMPLE.cursor }],
  });

const REMOVED = { message: `Key ${SAMPLE_KEY.name} deleted`, id: SAMPLE_KEY.uuid };
/** What deleting answers. */
export const KeyRemoved = z
  .object({ message: message(REMOVED.message), id: common.id })
  .meta({ id: 'KeyRemoved', description: 'The key is gone, with its rules', examples: [REMOVED] });
