import { createAtrium } from '@atrium/client';

/** The development server forwards the paths of the service, so that the page has one origin. */
export const atrium = createAtrium({
  url: location.origin,
  applicationId: Number(import.meta.env.VITE_APPLICATION_ID),
});
