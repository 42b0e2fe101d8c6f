import { constant, shape } from './shape.ts';

export const eventShape = shape(
  'Event',
  {
    id: 'id',
    event_type: 'eventType',
    message: 'message',
    date: 'date',
    period: 'period',
    name: 'name',
    occured_count: 'occuredCount',
    created_at: 'createdAt',
    updated_at: 'updatedAt',
    end_date: 'endDate',
    active: 'active',
    application_id: 'applicationId',
    user_id: 'userId',
    kind: constant('API', 'Always `API`.'),
    environment: 'environment',
    tag_query: 'tagQuery',
    notification_channel: { name: 'channel' },
  },
  { wrapper: 'event' },
);

export const eventStatusShape = shape(
  'EventStatus',
  {
    id: 'id',
    active: 'active',
    occured_count: 'occuredCount',
    last_sent_at: 'lastSentAt',
    recipients: 'recipients',
    delivered: 'delivered',
    failed: 'failed',
  },
  { wrapper: 'event' },
);
