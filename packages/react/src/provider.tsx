import type { Atrium, Classes } from '@atrium/client';
import { createContext, type ReactNode, useContext } from 'react';

const Context = createContext<Atrium | undefined>(undefined);

/** Makes an `Atrium` available to the hooks below it. Create the `Atrium` once, outside of components. */
export function AtriumProvider<C extends Classes>({ atrium, children }: { atrium: Atrium<C>; children?: ReactNode }) {
  return <Context.Provider value={atrium as unknown as Atrium}>{children}</Context.Provider>;
}

/** @throws outside of an `AtriumProvider` */
export function useAtrium<C extends Classes = Classes>(): Atrium<C> {
  const atrium = useContext(Context);
  if (!atrium) throw new Error('There is no <AtriumProvider> around this component');
  return atrium as unknown as Atrium<C>;
}
