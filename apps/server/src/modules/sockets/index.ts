// Sockets: how many are open, over all processes.
export { openSeats, type Seat, type Seats, type SeatsDeps } from './seats.ts'
