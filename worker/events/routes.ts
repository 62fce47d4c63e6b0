/** Operations on events. Spec: workflows.md §5. */
import { onOrganization } from '../access/access.ts';
import { CHAIN_HEADER, chainOf } from '../calls/chain.ts';
import { type AnyRoute, route } from '../route.ts';
import { EventsBody, EventsTaken } from './schema.ts';
import { sendEvents, weighEvents } from './send.ts';

export const eventRoutes: AnyRoute[] = [
  route({
    method: 'POST',
    path: '/events',
    summary: 'Tell what happened',
    description:
      'Answers once the events are stored. Runs that wait for such an event go on; one source and id counts once within 7 days.',
    tag: 'Workflows',
    errors: ['PAYLOAD_TOO_LARGE', 'QUOTA_EXCEEDED'],
    access: onOrganization('Write'),
    changes: 'backend',
    asWritten: true,
    body: EventsBody,
    weigh: weighEvents,
    reply: 'bare',
    result: EventsTaken,
    accepted: EventsTaken,
    async handle(ctx, { policy, body, bytes, header }) {
      const chain = await chainOf(ctx.settings, header(CHAIN_HEADER) ?? null);
      return sendEvents(ctx, policy, { body, bytes }, chain);
    },
  }),
];
