/** Handlers of errors that cannot be, each with all that is told of it. */
import { type Bad, handled, loop, template } from './builders.ts';

export const HANDLERS: readonly Bad[] = [
  ['a handler that is a list', handled([]), ['errorHandler: must be an object']],
  [
    'an unknown member',
    handled({ defaults: {} }),
    ['errorHandler.defaults: is no member of errorHandler; did you mean "default"?'],
  ],
  [
    'an unknown member of a handler',
    handled({ default: { retries: 3 } }),
    [
      'errorHandler.default.retries: is no member of a handler; known are retry, fallback, action, escalation',
    ],
  ],
  [
    'members of a handler, and of the queue',
    handled({ retry: {}, a: {}, retryable: true }),
    [
      'errorHandler.retry: is no member of errorHandler; it belongs in errorHandler.default.retry, or errorHandler.actions.<id>.retry',
      'errorHandler.a: is no member of errorHandler; it belongs in errorHandler.actions.a',
      'errorHandler.retryable: is no member of errorHandler; it belongs in errorHandler.deadLetterQueue.retryable',
    ],
  ],
  [
    'members of a retry, of the queue and of an action in a handler',
    handled({ actions: { a: { maxAttempts: 3, deadLetterQueue: {}, compensation: {} } } }),
    [
      'errorHandler.actions.a.maxAttempts: is no member of a handler; it belongs in errorHandler.actions.a.retry.maxAttempts',
      'errorHandler.actions.a.deadLetterQueue: is no member of a handler; it belongs in errorHandler.deadLetterQueue',
      'errorHandler.actions.a.compensation: is no member of a handler; it belongs in the action itself',
    ],
  ],
  [
    'an action that is not there',
    handled({ actions: { b: { retry: { maxAttempts: 2 } } } }),
    ['errorHandler.actions.b: names no action: "b"; known are a'],
  ],
  [
    'a retry that is a number',
    handled({ default: { retry: 3 } }),
    ['errorHandler.default.retry: must be an object'],
  ],
  [
    'no attempt',
    handled({ default: { retry: { maxAttempts: 0 } } }),
    ['errorHandler.default.retry.maxAttempts: must be an integer from 1 to 100'],
  ],
  [
    '101 attempts',
    handled({ actions: { a: { retry: { maxAttempts: 101 } } } }),
    ['errorHandler.actions.a.retry.maxAttempts: must be an integer from 1 to 100'],
  ],
  [
    'an interval below zero',
    handled({ default: { retry: { initialInterval: -1 } } }),
    ['errorHandler.default.retry.initialInterval: must be a number from 0 to 86400'],
  ],
  [
    'a rate below one',
    handled({ default: { retry: { backoffRate: 0.5 } } }),
    ['errorHandler.default.retry.backoffRate: must be a number from 1 to 100'],
  ],
  [
    'a rate in two spellings',
    handled({ default: { retry: { backoffRate: 2, multiplier: 3 } } }),
    ['errorHandler.default.retry.multiplier: says what backoffRate says: write one'],
  ],
  [
    'codes in two spellings',
    handled({ default: { retry: { retryableErrors: ['*'], retryOnErrors: ['*'] } } }),
    ['errorHandler.default.retry.retryOnErrors: says what retryableErrors says: write one'],
  ],
  [
    'a code that is none',
    handled({ default: { retry: { retryableErrors: ['TIMED_UOT', 'whatever', 5] } } }),
    [
      'errorHandler.default.retry.retryableErrors.2: must be a text of at least one character',
      'errorHandler.default.retry.retryableErrors.0: is no code of an error: "TIMED_UOT"; did you mean "TIMED_OUT"?',
      'errorHandler.default.retry.retryableErrors.1: is no code of an error: "whatever"; see the errors that an action may have',
    ],
  ],
  [
    'an unknown member of a retry',
    handled({ default: { retry: { attempts: 3 } } }),
    [
      'errorHandler.default.retry.attempts: is no member of retry; known are maxAttempts, initialInterval, backoffRate, multiplier, maxInterval, jitter, retryableErrors, retryOnErrors',
    ],
  ],
  [
    'a jitter that is a number',
    handled({ default: { retry: { jitter: 0.5 } } }),
    ['errorHandler.default.retry.jitter: must be true or false'],
  ],
  [
    'a fallback that is a text',
    handled({ default: { fallback: 'a' } }),
    ['errorHandler.default.fallback: must be an object, an action'],
  ],
  [
    'a fallback of a taken id',
    handled({ default: { fallback: template('a') } }),
    ['errorHandler.default.fallback.id: is the id of another action: actions.0'],
  ],
  [
    'a fallback that goes on',
    handled({ default: { fallback: template('f', { next: 'a' }) } }),
    ['errorHandler.default.fallback.next: names an action of another list: "a" is actions.0'],
  ],
  [
    'a route that is not there',
    handled({ default: { action: 'z' } }),
    ['errorHandler.default.action: names no action: "z"'],
  ],
  [
    'a route into a loop',
    handled({ default: { action: 'b' } }, [loop(template('b'))]),
    [
      'errorHandler.default.action: names an action within another: a route leads to one of the top level',
    ],
  ],
  [
    'a route back',
    handled({ actions: { b: { action: 'a' } } }, [template('a', { next: 'b' }), template('b')]),
    ['errorHandler.actions.b.action: leads back to "a": a loop is the way to repeat'],
  ],
  [
    'a route of a compensation',
    handled({ actions: { u: { action: 'b' } } }, [
      template('a', { compensation: template('u'), next: 'b' }),
      template('b'),
    ]),
    ['errorHandler.actions.u.action: is not allowed on a compensation: the run goes on without it'],
  ],
  [
    'a route that is a number',
    handled({ actions: { a: { action: 5 } } }),
    ['errorHandler.actions.a.action: must be a text of at least one character'],
  ],
  [
    'a threshold of nothing',
    handled({ default: { escalation: { threshold: 0, notification: {} } } }),
    ['errorHandler.default.escalation.threshold: must be an integer from 1 to 100'],
  ],
  [
    'an unknown member of an escalation',
    handled({ default: { escalation: { notify: {} } } }),
    [
      'errorHandler.default.escalation.notify: is no member of escalation; known are threshold, notification, incident',
    ],
  ],
  [
    'an incident that does not parse',
    handled({ actions: { a: { escalation: { incident: { x: '$.(' } } } } }),
    ['errorHandler.actions.a.escalation.incident.x: unexpected token (1:3)'],
  ],
  [
    'a notification that is no whole action',
    handled({ default: { escalation: { notification: { type: 'template' } } } }),
    ['errorHandler.default.escalation.notification.template: is required'],
  ],
  [
    'an unknown member of the queue',
    handled({ deadLetterQueue: { enable: true } }),
    [
      'errorHandler.deadLetterQueue.enable: is no member of deadLetterQueue; did you mean "enabled"?',
    ],
  ],
  [
    'a retention that is no duration',
    handled({ deadLetterQueue: { retention: '30 days' } }),
    [
      'errorHandler.deadLetterQueue.retention: must be a duration of ISO 8601, of more than zero and up to ten years, such as PT30S or P1D',
    ],
  ],
  [
    'a queue that is enabled by a text',
    handled({ deadLetterQueue: { enabled: 'yes' } }),
    ['errorHandler.deadLetterQueue.enabled: must be true or false'],
  ],
];
