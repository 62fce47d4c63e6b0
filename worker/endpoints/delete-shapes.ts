/** What deleting an endpoint asks and answers. */
import * as z from 'zod';
import { message } from '../shapes/members.ts';
import { SAMPLE } from '../shapes/sample.ts';

/** What deleting answers. */
export const Deleted = z
  .object({
    message: message('Endpoint shop deleted'),
    affectedResources: z
      .object({
        workflows: z
          .array(z.string())
          .meta({ description: 'Ids of workflows that used it', examples: [[SAMPLE.workflow]] }),
      })
      .optional()
      .meta({ description: 'What fails from now on; left out when nothing does' }),
  })
  .meta({
    id: 'EndpointDeleted',
    description: 'The endpoint is gone with its credentials; its backend was not touched',
    examples: [{ message: 'Endpoint shop deleted' }],
  });

/** Whether it may go although something uses it. */
export const DeleteQuery = z.strictObject({
  confirm: z
    .enum(['true', 'false'])
    .optional()
    .meta({ description: 'Deletes it although workflows use it', examples: ['true'] }),
});
