/** Path of the service's own page for reset links. */
export const RESET_PAGE = '/reset-password';
