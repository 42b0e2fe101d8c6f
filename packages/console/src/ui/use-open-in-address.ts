import { useNavigate, useSearch } from '@tanstack/react-router';

/** Parameters of addresses that open a form. */
export const FORMS = ['create', 'define', 'import', 'requests', 'start'] as const;

/** Whether the form of a page is open: `?create=1`, so that a link opens it too. Like `useDisclosure`. */
export function useOpenInAddress(name: (typeof FORMS)[number]): [boolean, { open: () => void; close: () => void }] {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (value: string | undefined) =>
    void navigate({ to: '.', search: (old: object) => ({ ...old, [name]: value }), replace: true } as never);
  return [search[name] !== undefined, { open: () => set('1'), close: () => set(undefined) }];
}
