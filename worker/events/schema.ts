/** Bodies of `POST /events`, as on the wire. Spec: workflows.md §5. */
import * as z from 'zod';
import { JsonValue } from '../../kinds/members.ts';
import { GivenTime } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';

/** Events of one request. Spec: workflows.md §5. */
const EVENTS_MAX = 100;
const NAME_MAX = 255;

const Name = (description: string, example: string) =>
  z
    .string()
    .min(1)
    .max(NAME_MAX, `must have at most ${NAME_MAX} characters`)
    .meta({ description, examples: [example] });

const Event = z
  .strictObject({
    source: Name('Where it comes from; `causeway` is the gateway’s own', 'shop').refine(
      (source) => source !== 'causeway',
      'is the source of the gateway’s own events: take another',
    ),
    event: Name('What happened', 'order.paid'),
    id: Name(
      'Counts once with its source within 7 days; made where it is left out',
      'evt-1042',
    ).optional(),
    time: GivenTime.optional().meta({
      description: 'When it happened; now where it is left out',
      examples: [SAMPLE.now],
    }),
    data: JsonValue.default(null).meta({
      description: 'Up to 256 KiB',
      examples: [{ order: 1042, amount: 25 }],
    }),
  })
  .meta({
    id: 'Event',
    description: 'Something that happened',
    examples: [
      { source: 'shop', event: 'order.paid', id: 'evt-1042', data: { order: 1042, amount: 25 } },
    ],
  });

/** One event, or a list of them. */
export const EventsBody = z
  .union([
    Event,
    z
      .array(Event)
      .min(1)
      .max(EVENTS_MAX, `must have at most ${EVENTS_MAX} events`)
      .meta({ description: 'Up to 100 events' }),
  ])
  .meta({ description: 'An event, or a list of up to 100' });
export type EventsBody = z.infer<typeof EventsBody>;

/** What became of each. */
export const EventsTaken = z
  .object({
    events: z
      .array(
        z.object({
          id: z.string().meta({ description: 'Its id', examples: ['evt-1042'] }),
          duplicate: z.boolean().meta({
            description: 'Whether its source and id were there already',
            examples: [false],
          }),
        }),
      )
      .meta({ description: 'In the order in which they were sent' }),
  })
  .meta({
    id: 'EventsTaken',
    description: 'What became of each event',
    examples: [{ events: [{ id: 'evt-1042', duplicate: false }] }],
  });
