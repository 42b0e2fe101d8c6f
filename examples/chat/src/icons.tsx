import type { ReactNode } from 'react';

function Icon({ children }: { children: ReactNode }) {
  return (
    <svg
      className="atrium-icon"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

export const PlusIcon = () => (
  <Icon>
    <path d="M12 5v14M5 12h14" />
  </Icon>
);
export const BackIcon = () => (
  <Icon>
    <path d="m15 5-7 7 7 7" />
  </Icon>
);
export const SearchIcon = () => (
  <Icon>
    <circle cx="11" cy="11" r="7" />
    <path d="m20 20-4-4" />
  </Icon>
);
export const InfoIcon = () => (
  <Icon>
    <circle cx="12" cy="12" r="9" />
    <path d="M12 11v5M12 8v.01" />
  </Icon>
);
export const OfflineIcon = () => (
  <Icon>
    <path d="M4 4l16 16M8.500 8.800A9 9 0 0 0 4 11.500M12 8a11 11 0 0 1 8 3.500M7 15a7 7 0 0 1 6.500-1.900M12 19v.01" />
  </Icon>
);

export const Logo = () => (
  <svg className="logo" viewBox="0 0 64 64" aria-hidden="true">
    <rect width="64" height="64" rx="16" fill="#4353d8" />
    <path d="M14 20a6 6 0 0 1 6-6h24a6 6 0 0 1 6 6v16a6 6 0 0 1-6 6H31L20 51v-9a6 6 0 0 1-6-6V20Z" fill="#fff" />
    <circle cx="24" cy="28" r="3" fill="#4353d8" />
    <circle cx="32" cy="28" r="3" fill="#4353d8" />
    <circle cx="40" cy="28" r="3" fill="#4353d8" />
  </svg>
);
