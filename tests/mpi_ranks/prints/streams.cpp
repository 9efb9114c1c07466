// Each rank prints in the way that is named: streams WAY [FOLDER].
#include <mpi.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cwchar>
#include <iostream>
#include <string>

static int me;

/// Lines in pieces, as C++'s streams write them.
static void pieces(bool by_buffers) {
  if (by_buffers) std::ios_base::sync_with_stdio(false);
  for (int i = 0; i < 50; ++i) {
    std::cout << "line " << i << " of rank " << me << '\n';
    std::wcout << L"wide line " << i << L" of rank " << me << std::endl;
    std::cerr << "error " << i << " of rank " << me << '\n';
  }
}

static void wide() {
  std::setlocale(LC_ALL, "C.UTF-8");
  std::printf("bytes %d\n", me);
  const bool is_right = std::wprintf(L"%ls %d\n", L"gr\u00fcn", me) == 7 && std::fputws(L"line\n", stdout) >= 0 &&
                        std::putwchar(L'\u20ac') == L'\u20ac' && std::fputwc(L'\n', stdout) == L'\n' &&
                        std::fwprintf(stderr, L"error %d\n", me) == 8;
  std::setlocale(LC_ALL, "C");
  if (!is_right || std::fputwc(L'\u20ac', stdout) != WEOF) std::puts("wrong");
  wchar_t text[10];
  std::FILE* const other = std::tmpfile();  // streams of other files are the C library's
  if (std::fwprintf(other, L"wide %d", me) != 6 || std::fclose(other) != 0) std::puts("wrong");
  if (std::swprintf(text, 10, L"%d", me) != 1) std::puts("wrong");
}

/// Ranks but the first have files of their own for standard output, and the last for standard error, too.
static void files(const std::string& folder, bool is_last) {
  const std::string own = folder + "/" + std::to_string(me);
  if (me > 0 && std::freopen((own + ".out").c_str(), "w", stdout) != stdout) std::perror("freopen");
  if (is_last && !std::freopen((own + ".err").c_str(), "a", stderr)) std::perror("freopen");
  MPI_Barrier(MPI_COMM_WORLD);
  std::printf("printf %d ", me);
  std::cout << "cout " << me << std::endl;
  std::wprintf(L"wprintf %d\n", me);
  const std::string written = "write " + std::to_string(me) + "\n";
  if (write(fileno(stdout), written.data(), written.size()) != static_cast<ssize_t>(written.size())) std::puts("wrong");
  std::fprintf(stderr, "error %d\n", me);
  if (me > 0 && std::freopen((own + ".more").c_str(), "w", stdout)) std::puts("more");
  if (std::freopen("/no/such/folder", "w", stderr)) std::puts("wrong");
  if (me == 1 && (std::fclose(stdout) != 0 || std::printf("nothing\n") > 0 || std::fclose(stdout) != 0))
    std::fputs("wrong\n", stderr);
  MPI_Barrier(MPI_COMM_WORLD);
  if (me == 0) std::puts("rank 0 goes on");
}

int main(int count, char** words) {
  int all = 0;
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &all);
  const std::string way = words[1];
  if (way == "wide") wide();
  if (way == "files") files(words[2], me == all - 1);
  if (way == "pieces" || way == "by buffers") pieces(way == "by buffers");
  MPI_Finalize();
}
