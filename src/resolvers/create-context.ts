import type { Context, Services } from '../context.ts';
import type { Viewer } from '../lib/access.ts';
import { createLoaders } from './loaders.ts';

/** What a transport knows of a call beside its viewer. */
type Call = Omit<Context, keyof Services | 'viewer' | 'loaders'>;

/**
 * The context of one call, the same for every transport. Each member is named, because an object that is spread and then
 * extended costs a tenth of a short request.
 */
export function createContext(services: Services, viewer: Viewer, call: Call): Context {
  return {
    now: services.now,
    log: services.log,
    observer: services.observer,
    outbox: services.outbox,
    hub: services.hub,
    presence: services.presence,
    pushBell: services.pushBell,
    sessionClock: services.sessionClock,
    identities: services.identities,
    rateLimits: services.rateLimits,
    networkOf: services.networkOf,
    mailer: services.mailer,
    storage: services.storage,
    pushGateways: services.pushGateways,
    models: services.models,
    sealer: services.sealer,
    publicUrl: services.publicUrl,
    resetPageUrl: services.resetPageUrl,
    viewer,
    loaders: createLoaders(viewer),
    network: call.network,
    responseSize: call.responseSize,
    meter: call.meter,
    isCounted: call.isCounted,
    isLegacy: call.isLegacy,
    upload: call.upload,
    callerLeft: call.callerLeft,
    onTooSlow: call.onTooSlow,
  };
}
