import { graphql, type ResultOf } from '@atrium/client';
import { t } from '@lingui/core/macro';

export const EVENTS = graphql(`query ConsoleEvents($first: Int!, $after: String) {
  events(first: $first, after: $after) {
    totalCount
    edges { node { id name channel environment eventType date period active occuredCount delivered failed createdAt } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export const EVENT = graphql(`query ConsoleEvent($id: Int!) {
  event(id: $id) {
    id userId name channel environment eventType message date period endDate active tagQuery createdAt
  }
  eventStatus(id: $id) { active occuredCount lastSentAt recipients delivered failed }
}`);

export const CREATE_EVENTS = graphql(`mutation ConsoleCreateEvents($input: CreateEventsInput!) {
  createEvents(input: $input) { id }
}`);

export const UPDATE_EVENT = graphql(`mutation ConsoleUpdateEvent($id: Int!, $active: Boolean!) {
  updateEvent(id: $id, input: { active: $active }) { id }
}`);

export const DELETE_EVENT = graphql(`mutation ConsoleDeleteEvent($id: Int!) { deleteEvent(id: $id) }`);

export const SENDS = graphql(`query ConsoleSends($eventId: Int, $first: Int!, $after: String) {
  pushSends(eventId: $eventId, first: $first, after: $after) {
    edges { node { id recipients delivered failed createdAt finishedAt } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export const DELIVERIES = graphql(`query ConsoleDeliveries(
  $sendId: ID, $userId: Int, $status: DeliveryStatus, $first: Int!, $after: String
) {
  pushDeliveries(sendId: $sendId, userId: $userId, status: $status, first: $first, after: $after) {
    edges { node { sendId eventId createdAt subscriptionId userId channel status attempts answer answeredAt retryAt } }
    pageInfo { hasNextPage endCursor }
  }
}`);

export type ListedEvent = ResultOf<typeof EVENTS>['events']['edges'][number]['node'];
export type EventDetails = ResultOf<typeof EVENT>;
export type Send = ResultOf<typeof SENDS>['pushSends']['edges'][number]['node'];
export type Delivery = ResultOf<typeof DELIVERIES>['pushDeliveries']['edges'][number]['node'];

export const CHANNELS = {
  apns: t`Apple (APNs)`,
  apns_voip: t`Apple VoIP`,
  gcm: t`Firebase (Android)`,
  web: t`Browsers`,
  email: t`Email`,
};

export function channelName(channel: string): string {
  return CHANNELS[channel as keyof typeof CHANNELS] ?? channel;
}
